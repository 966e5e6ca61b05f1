export {
  answerCallback,
  answerConsent,
  type CallbackAnswer,
  FINISHED as FINISHED_SIGN_IN,
} from './oauth/answer-callback.ts';
export { CALLBACK_PATH } from './oauth/start-sign-in.ts';
