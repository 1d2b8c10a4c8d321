-- Grants the lock exclusively.

local function begin_exclusive(base, flagged)
  write_lock('1', base, flagged)
  return expire_lock(false) or tonumber(base)
end
