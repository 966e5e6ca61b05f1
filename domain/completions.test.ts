import { describe, expect, test } from '@jest/globals';
import { type ClientMessage, toConversation } from './completions.ts';

const user = (text: string): ClientMessage => ({ role: 'user', text });
const assistant = (text: string): ClientMessage => ({ role: 'assistant', text });
const system = (text: string): ClientMessage => ({ role: 'system', text });

describe('a conversation of a client', () => {
  test('is its last message when nothing was said before', () => {
    expect(toConversation([user('Hello')])).toEqual({ past: [], question: 'Hello' });
  });

  test('has an exchange for each question and its answer', () => {
    const messages = [user('one'), assistant('first'), user('two'), assistant('second'), user('three')];
    expect(toConversation(messages)).toEqual({
      past: [
        { question: 'one', answer: 'first' },
        { question: 'two', answer: 'second' },
      ],
      question: 'three',
    });
  });

  test('puts the instructions of the application before the first message of the user, wherever they stood', () => {
    const messages = [assistant('Hi!'), user('one'), system('Be brief.'), assistant('first'), user('two')];
    const conversation = toConversation(messages);
    expect(conversation?.past[0]).toEqual({ question: null, answer: 'Hi!' });
    expect(conversation?.past[1]?.question).toMatch(/^Instructions .*\n\nBe brief\.\n\n.*\n\none$/);
    expect(conversation?.question).toBe('two');
  });

  test('joins messages that follow each other in one role', () => {
    const messages = [user('one'), user('two'), assistant('a'), assistant('b'), user('three'), user('four')];
    expect(toConversation(messages)).toEqual({
      past: [{ question: 'one\n\ntwo', answer: 'a\n\nb' }],
      question: 'three\n\nfour',
    });
  });

  test.each([[[]], [[system('x')]], [[user('one'), assistant('first')]]])(
    "asks for nothing unless its last message is the user's (%#)",
    (messages) => expect(toConversation(messages)).toBeUndefined(),
  );
});
