const UNITS = [
  [1024 ** 3, 'GB'],
  [1024 ** 2, 'MB'],
  [1024, 'KB'],
] as const;

/** Formats a number of bytes in the largest unit that divides it: "512 KB". */
export function formatBytes(bytes: number): string {
  const [size, unit] = UNITS.find(([each]) => bytes >= each && bytes % each === 0) ?? [1, 'bytes'];
  return `${(bytes / size).toLocaleString('en')} ${unit}`;
}
