import { CLIENT_FAULTS } from './faults-of-clients.js';
import { COMMAND_FAULTS } from './faults-by-command.js';
import { NETWORK_FAULTS } from './faults-of-the-network.js';
import { SERVER_FAULTS } from './faults-of-servers.js';
import { OUTAGES } from './outages.js';
import type { Fault } from './fault.js';

/** Every fault of the combination lock and its users. */
export const FAULTS: readonly Fault[] = [
  ...SERVER_FAULTS,
  ...COMMAND_FAULTS,
  ...NETWORK_FAULTS,
  ...CLIENT_FAULTS,
  ...OUTAGES,
];
