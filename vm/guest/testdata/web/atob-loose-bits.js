return ['YR==', 'YWJ=', 'YZ', 'YWK', '//', '///'].map((s) => [...atob(s)].map((c) => c.charCodeAt(0)));
