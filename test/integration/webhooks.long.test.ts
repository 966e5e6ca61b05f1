import './webhooks.test.ts';
