import { describeLostStarts } from './describe-lost-starts.ts';

describeLostStarts();
