export {
  GUESS_WINDOW_SECONDS,
  judgeGuess,
  KNOWN_ADDRESS_DAYS,
  KNOWN_ADDRESSES,
  type WrongGuesses,
} from './guess-limits.ts';
