const pairs = [[1, 2], [3, 4]];
