return [' YQ== ', 'Y Q = =', '\tY\nQ\f=\r=', ' ', '\n\t\f\r ', 'YW Jj', 'Y Q', '= ='].map((s) => { try { return atob(s); } catch (e) { return e.name; } });
