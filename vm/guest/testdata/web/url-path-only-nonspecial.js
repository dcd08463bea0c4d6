return ['foo:/', 'foo:/a/..', 'foo:/a/../..//x', 'foo:/.//x', 'foo:/..//x', 'foo:/a', 'web+x:/./p', 'foo:/ /é'].map((s) => { const u = new URL(s); return [u.href, u.pathname]; });
