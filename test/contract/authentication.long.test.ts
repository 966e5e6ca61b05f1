import { describeAuthentication } from './describe-authentication.ts';

describeAuthentication(Infinity);
