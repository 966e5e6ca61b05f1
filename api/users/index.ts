export { presentUser } from './present-user.ts';
export { userRoutes } from './routes.ts';
export { emailField, fullNameField, newPasswordField, passwordField, userSchema } from './schema.ts';
