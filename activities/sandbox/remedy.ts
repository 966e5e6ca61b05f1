/** What hosts say when they do not let programs isolate themselves, and what an operator does about it. */
const REMEDIES: readonly (readonly [sign: RegExp, remedy: string])[] = [
  [/not installed|is not there|is not bubblewrap/, 'install bubblewrap 0.8 or later (apt install bubblewrap)'],
  [
    /setting up uid map|loopback: Failed RTM_NEWADDR/,
    'AppArmor forbids user namespaces: give bwrap a profile with "userns,", or set kernel.apparmor_restrict_unprivileged_userns=0',
  ],
  [
    /No permissions to create (?:a )?new namespace|Creating new namespace failed: Operation not permitted/,
    'the container may not make namespaces: run the worker with security_opt seccomp=deploy/seccomp-sandbox.json and apparmor=unconfined',
  ],
  [/mount proc/, 'the container masks /proc: run the worker with security_opt systempaths=unconfined'],
  [/ENOSPC|nesting depth|max_user_namespaces/, 'set the sysctl user.max_user_namespaces above 0'],
  [/EACCES/, 'the user that commands run as must be able to run bubblewrap'],
  [/^(?:unshare|mount|setpriv|chown):/m, 'root may not mount here: run the worker as an ordinary user'],
];

/** Returns why there is no sandbox, with what an operator can do about it. */
export function withRemedy(problem: string): string {
  const remedy = REMEDIES.find(([sign]) => sign.test(problem))?.[1] ?? 'see docs/sandbox.md';
  return `${problem}; ${remedy}`;
}
