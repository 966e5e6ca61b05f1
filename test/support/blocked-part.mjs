// A part that gets ready, responds to its supervisor for a while, and then blocks its event loop. `BLOCKED_MS` bounds
// that.
process.on('message', (message) => {
  if (message === 'ping') process.send('pong');
});
process.send('ready');
setTimeout(() => {
  process.stdout.write('blocked\n');
  // oxlint-disable-next-line everturn/no-asserted-time -- it is to be deaf
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.BLOCKED_MS ?? Infinity));
}, 1_000);
