export { ACCESS_CHANNEL } from './access-channel.ts';
export {
  countGuess,
  forgetGuesses,
  type GuessCounts,
  type GuessSubject,
  lookAtGuess,
  rememberAddress,
} from './password-guesses.ts';
export { purgeCredentials } from './purge-credentials.ts';
export { markApiKeyUsed, principalOfApiKey, principalOfSession, type Principal } from './principal.ts';
