/**
 * The tokenizer takes time in proportion to the square of a run without blanks, so texts are cut after so many
 * characters.
 */
const MAX_PIECE = 1_000;

interface TextCounts {
  readonly bytes: number;
  readonly characters: number;
  readonly words: number;
  readonly lines: number;
  readonly tokens: number;
}

/** Counts what is in a text. Words are those of its language, tokens those of the encoding o200k_base. */
export async function countText(text: string): Promise<TextCounts> {
  // 2 MB, which other jobs do without.
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const options = { disallowedSpecial: new Set<string>() };
  let tokens = 0;
  for (const piece of piecesOf(text)) tokens += countTokens(piece, options);
  return {
    bytes: Buffer.byteLength(text),
    characters: charactersIn(text),
    words: wordsIn(text),
    lines: text === '' ? 0 : text.replace(/\n$/, '').split('\n').length,
    tokens,
  };
}

function charactersIn(text: string): number {
  let characters = 0;
  // Pairs of surrogates are one character.
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) characters += 1;
  return characters;
}

function wordsIn(text: string): number {
  let words = 0;
  for (const { isWordLike } of new Intl.Segmenter('en', { granularity: 'word' }).segment(text))
    words += isWordLike === true ? 1 : 0;
  return words;
}

// Cut before a blank that follows a word, where tokens begin anyway; elsewhere only in very long runs.
function* piecesOf(text: string): Generator<string, void, undefined> {
  let start = 0;
  while (start < text.length) {
    const end = text.length - start <= MAX_PIECE ? text.length : cutBetween(text, start, start + MAX_PIECE);
    yield text.slice(start, end);
    start = end;
  }
}

function cutBetween(text: string, start: number, end: number): number {
  for (let at = end; at > start + 1; at -= 1) {
    if (text[at] === ' ' && !isBlank(text[at - 1]) && !isBlank(text[at + 1])) return at;
  }
  // Not within a pair of surrogates.
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
