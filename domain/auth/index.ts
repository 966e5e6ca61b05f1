export {
  GUESS_WINDOW_SECONDS,
  evaluateGuess,
  KNOWN_ADDRESS_DAYS,
  KNOWN_ADDRESSES,
  type WrongGuesses,
} from './guess-limits.ts';
