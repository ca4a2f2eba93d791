import type { Server } from '../http/server.ts';
import { registerCheckRoutes } from './checks.routes.ts';
import { registerMeasurementRoutes } from './measurements.routes.ts';
import { registerObjectiveRoutes } from './objectives.routes.ts';
import type { QosSettingsServices } from './qos-settings.service.ts';
import { registerRuleExecutionRoutes } from './rule-execution.routes.ts';
import { registerRuleRoutes } from './rules.routes.ts';
import { registerSettingsRoutes } from './settings.routes.ts';
import { registerSourceRoutes } from './sources.routes.ts';

/** All routes of what the quality of service is made of. */
export async function registerQosSettingsRoutes(app: Server, qos: QosSettingsServices): Promise<void> {
  registerSettingsRoutes(app, qos);
  registerSourceRoutes(app, qos);
  registerCheckRoutes(app, qos);
  registerRuleRoutes(app, qos);
  registerRuleExecutionRoutes(app, qos);
  registerObjectiveRoutes(app, qos);
  await registerMeasurementRoutes(app, qos);
}
