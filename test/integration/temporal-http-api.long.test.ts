import './temporal-http-api.test.ts';
