return ['http://h/%41%zz%', 'http://h/?%41%zz%', 'http://h/#%41%zz%', 'http://u%41:p%zz@h/', 'http://h/%2F%5c'].map((s) => new URL(s).href);
