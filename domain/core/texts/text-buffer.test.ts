import { expect, test } from '@jest/globals';
import { TextBuffer } from './text-buffer.ts';

test('a gathered text is that of its pieces, in order, whenever it is asked for', () => {
  const gathered = new TextBuffer();
  let whole = '';
  for (let at = 0; at < 5_000; at += 1) {
    const piece = String(at % 7).repeat(at % 4);
    gathered.add(piece);
    whole += piece;
    expect(gathered.length).toBe(whole.length);
    if (at % 611 === 0) expect(gathered.text).toBe(whole);
  }
  expect(gathered.text).toBe(whole);
});
