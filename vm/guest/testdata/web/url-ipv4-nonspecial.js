return ['foo://1.2.3', 'foo://0x7f.1', 'foo://256.256.256.256'].map((s) => new URL(s).hostname);
