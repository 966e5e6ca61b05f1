export { EntryPage } from './entry-page.tsx';
export { RegisterForm } from './register-form.tsx';
export { RegisterPage } from './register-page.tsx';
export { SignInForm } from './sign-in-form.tsx';
export { SignInPage } from './sign-in-page.tsx';
