import { startOwnInstance } from '../support/test-instance.ts';
import { describeLostStarts } from './describe-lost-starts.ts';

describeLostStarts({ start: async (marketplaceIndexes) => startOwnInstance({ marketplaceIndexes }) });
