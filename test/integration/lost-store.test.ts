import { describeLostStore } from './describe-lost-store.ts';

describeLostStore({ isAnyWorker: true });
