const TIME = "lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')";

/** A new id in SQL: a UUID of version 7, for rows whose number the statement itself determines. */
export const NEW_ID = `(substr(${TIME}, 1, 8) || '-' || substr(${TIME}, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid`;
