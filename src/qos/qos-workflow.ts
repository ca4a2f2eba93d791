/**
 * How quality is computed, as workflows like any other: PLAN cuts the day into chunks, EACH works on them wherever a process is free,
 * FINISH sums up. A chunk whose labels need others waits until those are there (`runs.service.ts`).
 */
export const qosWorkflow = 'faultline.QOS';
export const qosWorkflows = `
${qosWorkflow}:
  description: Computes the quality of one day of one team; POST /v1/teams/{team_id}/qos/compute starts it.
  schema:
    type: object
    required: [team, run]
    properties:
      team: { type: string }
      run: { type: string }
      day: { type: string }
  retention: { days: 30 }
  tasks:
    - PLAN:
        run: qos.plan
        with: { team: "{{payload.team}}", run: "{{payload.run}}" }
        retry: { attempts: 3 }
    - EACH:
        type: foreach
        over: results.PLAN.chunks
        task: qos.chunk
        with: { team: "{{payload.team}}", run: "{{payload.run}}", chunk: "{{item}}" }
        concurrency: 8
        retry: { attempts: 3 }
        timeout: 86400
    - FINISH:
        run: qos.finish
        with: { team: "{{payload.team}}", run: "{{payload.run}}" }
        retry: { attempts: 3 }

faultline.QOS_NIGHTLY:
  description: Computes yesterday for every team that has a configuration.
  periodic: { crontab: "20 0 * * *", timezone: UTC }
  overlap: skip
  retention: { days: 30 }
  tasks:
    - TEAMS:
        run: qos.teams
        retry: { attempts: 3 }
    - EACH:
        type: foreach
        over: results.TEAMS
        task: qos.team
        with: { team: "{{item}}", day: yesterday, figures: false }
        concurrency: 4
        timeout: 86400
`;
