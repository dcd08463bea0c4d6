try { null.x; } catch { return 'caught'; }
// => "caught"
