return ['utf-8', 'utf8', 'UTF-8', ' utf-8 ', '\tUtf8\n', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8', undefined].map((l) => new TextDecoder(l).encoding);
