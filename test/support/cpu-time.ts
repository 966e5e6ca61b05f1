/** Runs `work` and returns the milliseconds of processor time that it took, whatever else the machine is busy with. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
