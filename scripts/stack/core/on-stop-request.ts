/**
 * Calls the handler each time the process is asked to stop, by a signal or by the death of the script that started it.
 */
export function onStopRequest(handle: () => void): void {
  let lastAt = 0;
  const onSignal = (): void => {
    // One Ctrl-C arrives several times: from the terminal, from npm, from the starting script.
    if (Date.now() - lastAt < 1000) return;
    lastAt = Date.now();
    handle();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // The starting script was killed, which no signal tells.
  process.on('disconnect', onSignal);
}
