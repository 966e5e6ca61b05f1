import { describeQueries } from './describe-queries.ts';

describeQueries(2);
