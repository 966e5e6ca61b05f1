export { EntryPage } from './entry-page.tsx';
export { RegisterForm, RegisterPage } from './register-page.tsx';
export { SignInForm, SignInPage } from './sign-in-page.tsx';
