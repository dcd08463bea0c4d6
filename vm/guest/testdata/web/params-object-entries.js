return [Object.fromEntries(new URLSearchParams('a=1&b=2&a=3')), new Map(new URLSearchParams('a=1')).get('a'), Array.from(new URLSearchParams('x=y'))];
