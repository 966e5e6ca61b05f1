// A part that gets ready, answers its supervisor for a while, and then runs in circles: nothing that waits for its event loop
// is answered any more. `BLOCKED_MS` bounds that.
process.on('message', (message) => {
  if (message === 'ping') process.send('pong');
});
process.send('ready');
setTimeout(() => {
  process.stdout.write('blocked\n');
  const until = process.env.BLOCKED_MS === undefined ? Infinity : Date.now() + Number(process.env.BLOCKED_MS);
  while (Date.now() < until);
}, 1_000);
