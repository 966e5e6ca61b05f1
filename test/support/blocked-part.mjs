// A part that gets ready, responds to its supervisor for a while, and then blocks its event loop. `BLOCKED_MS` bounds
// that.
process.on('message', (message) => {
  if (message === 'ping') process.send('pong');
});
process.send('ready');
setTimeout(() => {
  process.stdout.write('blocked\n');
  const until = process.env.BLOCKED_MS === undefined ? Infinity : Date.now() + Number(process.env.BLOCKED_MS);
  while (Date.now() < until);
}, 1_000);
