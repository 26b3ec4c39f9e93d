/** Runs Hive Gateway with the configuration of docs/other-routers.md: `node hive-gateway.js <config file>`; prints its port. */
const { createServer } = require('node:http');
const { createGatewayRuntime } = require('@graphql-hive/gateway-runtime');
const { gatewayConfig } = require(process.argv[2]);

const runtime = createGatewayRuntime({ ...gatewayConfig, logging: 'warn' });
const server = createServer(runtime);
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));
