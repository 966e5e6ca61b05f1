import { describeQueries } from './describe-queries.ts';

describeQueries(Infinity);
