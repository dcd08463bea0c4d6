return ['http://ABC.Com', 'foo://ABC.Com', 'HTTP://h', 'FoO:Bar', 'file://HOST/X', 'http://A%42c'].map((s) => new URL(s).href);
