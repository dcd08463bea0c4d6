throw new Error('a fixture is no test');
