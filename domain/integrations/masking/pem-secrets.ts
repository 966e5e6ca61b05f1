/** Lines shorter than this are found in texts that have nothing to do with a key. */
const MIN_LINE = 16;
const FRAME = /^-----(?:BEGIN|END) [A-Z\d ]{1,60}-----$/;
const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/**
 * Returns what is secret of a key in PEM: its lines of Base64, and all of them as they follow each other. The lines
 * around them, which each key and certificate has, are none. Of a text that is no PEM all is.
 */
export function pemSecrets(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const secret = lines.filter((line) => BASE64.test(line));
  const long = secret.filter((line) => line.length >= MIN_LINE);
  if (long.length === 0 || !lines.some((line) => FRAME.test(line))) return [text];
  return [secret.join('\n'), ...long];
}
