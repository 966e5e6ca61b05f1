import { startOwnInstance } from '../support/test-instance.ts';
import { describeFailover } from './describe-failover.ts';

// They hold for the models that do respond, too.
const worker = { MODEL_FIRST_BYTE_TIMEOUT: '15', MODEL_IDLE_TIMEOUT: '15' };

describeFailover(async () => startOwnInstance({ worker }), Infinity);
