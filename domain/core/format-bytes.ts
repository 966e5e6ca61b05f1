const UNITS = [
  [1024 ** 3, 'GB'],
  [1024 ** 2, 'MB'],
  [1024, 'KB'],
] as const;

/** Says a number of bytes in the largest unit of which it is a whole number: "512 KB". */
export function formatBytes(bytes: number): string {
  const [size, unit] = UNITS.find(([each]) => bytes >= each && bytes % each === 0) ?? [1, 'bytes'];
  return `${(bytes / size).toLocaleString('en')} ${unit}`;
}
