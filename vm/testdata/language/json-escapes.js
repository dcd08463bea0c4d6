return [JSON.stringify('\u0007"\\\b\ud800'), JSON.parse('"\\u00e9\\n"')];
// => ["\"\\u0007\\\"\\\\\\b\\ud800\"","é\n"]
