-- Waiting clients that may hold the lock together.

-- Removes the clients that may hold the lock together from the queue, beginning with the given one, and
-- grants the lock to those that accept a direct grant.
local function take_shares(waiter, position, kind, sequence, lease, holder, seen)
  local shares, taken, coming = {}, nil, 0
  repeat
    if is_permit(kind) then
      taken = taken or #(living_readers() or {}) + coming
      if taken >= permits_in(holder) then
        break
      end
    end
    local granted = grant(waiter, kind, sequence, lease, holder, seen)
    shares[#shares + 1] = {waiter, position, kind, sequence, granted}
    coming = coming + (granted and 0 or 1)
    taken = taken and taken + 1
    waiter, position, kind, sequence, lease, holder, seen = take()
  until not waiter or permits_of(kind, holder) == 1
  if waiter then
    put_back(waiter, position)
  end
  return shares
end
