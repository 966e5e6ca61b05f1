export {
  countGuess,
  forgetGuesses,
  type GuessCounts,
  type GuessSubject,
  lookAtGuess,
  rememberAddress,
} from './password-guesses.ts';
export { findPasswordLink, makePasswordLink, removePasswordLinks, usePasswordLink } from './password-links.ts';
export { insertPassword, purgePasswordData, removePassword, setPassword } from './set-password.ts';
