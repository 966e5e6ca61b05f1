import { describe, expect, test } from '@jest/globals';
import { Random } from '../../../test/support/random.ts';
import { LiveText } from './live-text.ts';

describe('LiveText', () => {
  test('is the parts in their order', () => {
    const text = new LiveText();
    expect(text.take(0, 'The ')).toBe(true);
    expect(text.take(4, 'report')).toBe(true);
    expect(text.text).toBe('The report');
    expect(text.length).toBe(10);
  });

  test('takes what is told twice once, also when it overlaps with news', () => {
    const text = new LiveText();
    text.take(0, 'The rep');
    text.take(0, 'The rep');
    text.take(4, 'report');
    expect(text.text).toBe('The report');
  });

  test('rejects a part when one before it is missing, and stays as it is', () => {
    const text = new LiveText();
    text.take(0, 'The ');
    expect(text.take(9, 'says')).toBe(false);
    expect(text.text).toBe('The ');
  });

  test('is not doubled when a new socket tells it from its beginning', () => {
    const text = new LiveText();
    text.take(0, 'The ');
    text.take(4, 'report');
    text.beginEpoch();
    expect(text.text).toBe('The report');
    text.take(0, 'The report says');
    text.take(15, ' so');
    expect(text.text).toBe('The report says so');
  });

  test('stays while a new attempt is still at its beginning', () => {
    const text = new LiveText();
    text.take(0, 'The report says');
    text.beginEpoch();
    text.take(0, 'The ');
    expect(text.text).toBe('The report says');
    text.take(4, 'report says more');
    expect(text.text).toBe('The report says more');
  });

  test('becomes what a new attempt says where it differs', () => {
    const text = new LiveText();
    text.take(0, 'The report says');
    text.beginEpoch();
    text.take(0, 'The ');
    text.take(4, 'paper');
    expect(text.text).toBe('The paper');
    text.take(9, '!');
    expect(text.text).toBe('The paper!');
  });

  test('ends as the newest text, whatever was cut, repeated and told anew on the way', () => {
    const random = new Random(7);
    for (let round = 0; round < 300; round += 1) {
      const whole = `!${random.text(200)}`;
      const text = new LiveText();
      for (let epoch = 0; epoch <= random.below(4); epoch += 1) {
        text.beginEpoch();
        const before = text.text;
        feed(text, whole.slice(0, random.below(whole.length + 1)), random);
        expect(text.text.startsWith(before)).toBe(true);
      }
      text.beginEpoch();
      feed(text, whole, random);
      expect(text.text).toBe(whole);
      expect(text.length).toBe(whole.length);
    }
  });
});

function feed(text: LiveText, whole: string, random: Random): void {
  let sent = 0;
  while (sent < whole.length) {
    const offset = Math.max(0, sent - random.below(5));
    const end = Math.min(whole.length, sent + 1 + random.below(20));
    expect(text.take(offset, whole.slice(offset, end))).toBe(true);
    sent = end;
  }
}
