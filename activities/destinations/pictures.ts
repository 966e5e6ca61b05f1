/** The images of sanitized HTML, in which each `<` begins a tag that ends, and attributes are in double quotes. */
const IMAGE = '<img';
const SOURCE = /\ssrc="([^"]*)"/;

/** Returns the addresses of the images of sanitized HTML, as they are written there. */
export function imageAddresses(html: string): string[] {
  const tags = html.split(IMAGE).slice(1);
  return [...new Set(tags.flatMap((part) => SOURCE.exec(part.slice(0, part.indexOf('>')))?.[1] ?? []))];
}

/** Removes the images of sanitized HTML but those that have a new address, which replaces theirs. */
export function replaceImages(html: string, addresses: ReadonlyMap<string, string>): string {
  const [first = '', ...rest] = html.split(IMAGE);
  return [first, ...rest.map((part) => replaceImage(part, addresses))].join('');
}

function replaceImage(part: string, addresses: ReadonlyMap<string, string>): string {
  const end = part.indexOf('>');
  const tag = part.slice(0, end);
  const address = addresses.get(SOURCE.exec(tag)?.[1] ?? '');
  return address === undefined
    ? part.slice(end + 1)
    : `${IMAGE}${tag.replace(SOURCE, ` src="${address}"`)}${part.slice(end)}`;
}

/** The first bytes of the formats of pictures that every mail program shows. */
const SIGNATURES = ['89504e470d0a1a0a', 'ffd8ff', '474946383761', '474946383961'].map((hex) => Buffer.from(hex, 'hex'));

/** Returns whether a file is a PNG, JPEG or GIF by its first bytes. */
export function isPicture(content: Buffer): boolean {
  return SIGNATURES.some((signature) => content.subarray(0, signature.length).equals(signature));
}
