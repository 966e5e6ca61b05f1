import { decodeHTML, escapeUTF8 } from 'entities';

/** Encodes bytes, or their text for `url` and `html`. */
export function encodeText(encoding: string, bytes: Buffer, text: string): string {
  if (encoding === 'url') return encodeURIComponent(text);
  if (encoding === 'html') return escapeUTF8(text);
  return bytes.toString(encoding === 'base64url' || encoding === 'hex' ? encoding : 'base64');
}

/** Decodes a text; throws when it is not so encoded, and when what comes out is no text. */
export function decodeFrom(encoding: string, text: string): string {
  if (encoding === 'html') return decodeHTML(text);
  if (encoding === 'url') return decodeUrl(text);
  const given = text.replaceAll(/\s/g, '');
  const isEncoded = encoding === 'hex' ? /^(?:[0-9a-f]{2})*$/i.test(given) : /^[\w+/-]*={0,2}$/.test(given);
  if (!isEncoded) throw new Error(`The text is not ${encoding}`);
  const bytes = Buffer.from(given, encoding === 'hex' ? 'hex' : 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error(`What comes out is no text but ${bytes.length} other bytes`, { cause: error });
  }
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new Error('The text is not encoded for URLs: a % begins two hexadecimal digits, of UTF-8', { cause: error });
  }
}
