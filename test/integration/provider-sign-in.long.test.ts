import { describeProviderSignIn } from './describe-provider-sign-in.ts';

describeProviderSignIn(Infinity);
