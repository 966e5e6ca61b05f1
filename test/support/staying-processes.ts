/** Returns a script whose four processes, each marked on its command line, stay for 100 seconds by all known means. */
export function stayingProcesses(mark: string): string {
  const sleeps = `: ${mark}; sleep 100; :`;
  return `trap "" TERM INT HUP; export MARK=${mark}; (setsid sh -c 'trap "" TERM; ${sleeps}' &) ; nohup sh -c '${sleeps}' > /dev/null 2>&1 & echo begun; sh -c '${sleeps}'`;
}
