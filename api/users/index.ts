export { checkOwnPassword } from './check-own-password.ts';
export {
  deviceSchema,
  emailField,
  fullNameField,
  newPasswordField,
  passwordField,
  shownEmail,
  userSchema,
} from './schema.ts';
