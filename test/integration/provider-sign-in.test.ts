import { describeProviderSignIn } from './describe-provider-sign-in.ts';

describeProviderSignIn(1);
