const next = { idle: { start: 'run' }, run: { stop: 'idle', pause: 'paused' }, paused: { start: 'run' } };
return ['start', 'pause', 'stop', 'start'].reduce((s, ev) => next[s][ev] ?? s, 'idle');
// => "run"
