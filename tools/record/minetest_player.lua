-- A player of Minetest Game who walks, digs, builds, falls and chats by chance (seed @SEED@), and a log of what the screen must show.
-- A line of the log: game time in ms, what changed, its value. Only changes are written.
local out = io.open("@LOG@", "a")
local random = PcgRandom(@SEED@)
local player, clock, shown = nil, 0, {}
local names = { "Ada", "Mirabel", "Tibor", "Oskar" }
local lines = { "anyone at the spawn?", "found iron at last", "watch out for the lake", "brb", "nice tower", "who took my torches" }

local function note(key, value)
  value = tostring(value)
  if shown[key] == value then return end
  shown[key] = value
  out:write(string.format("%d\t%s\t%s\n", math.floor(clock * 1000), key, value))
  out:flush()
end

local function state()
  note("health", player:get_hp())
  note("breath", player:get_breath())
  note("selected", player:get_wield_index())
  for i = 1, 8 do
    local stack = player:get_inventory():get_stack("main", i)
    note("slot " .. i, stack:is_empty() and "empty" or (stack:get_name() .. " " .. stack:get_count()))
  end
end

local function say(text)
  minetest.chat_send_all(text)
  out:write(string.format("%d\tchat\t%s\n", math.floor(clock * 1000), text))
  out:flush()
end

local target, wait = nil, 0
local function act()
  local kind = random:next(1, 14)
  local pos = player:get_pos()
  local inventory = player:get_inventory()
  if kind <= 2 then
    say("<" .. names[random:next(1, #names)] .. "> " .. lines[random:next(1, #lines)])
  elseif kind == 3 then
    say("*** " .. names[random:next(1, #names)] .. (random:next(1, 2) == 1 and " joined the game." or " left the game."))
  elseif kind <= 5 then
    player:set_hp(math.max(1, player:get_hp() - random:next(1, 4)), "fall")
  elseif kind == 6 then
    player:set_hp(math.min(20, player:get_hp() + random:next(1, 6)))
  elseif kind <= 10 then
    local items = { "default:cobble", "default:dirt", "default:wood", "default:torch", "default:stick" }
    inventory:add_item("main", ItemStack(items[random:next(1, #items)] .. " " .. random:next(1, 12)))
  else
    local i = random:next(1, 8)
    local stack = inventory:get_stack("main", i)
    if not stack:is_empty() and stack:get_count() > 1 then
      stack:take_item(random:next(1, math.min(5, stack:get_count() - 1)))
      inventory:set_stack("main", i, stack)
    end
  end
  wait = 0.4 + random:next(0, 16) / 10
end

minetest.register_on_joinplayer(function(joined)
  player = joined
  minetest.set_timeofday(0.45)
  player:set_physics_override({ gravity = 0 })
  local inventory = player:get_inventory()
  inventory:set_list("main", {})
  for _, item in ipairs({ "default:pick_steel", "default:cobble 23", "default:torch 48", "default:wood 7", "default:dirt 99", "default:apple 5" }) do
    inventory:add_item("main", ItemStack(item))
  end
end)

local yaw, turn, height = 0, 0.2, nil
minetest.register_globalstep(function(passed)
  clock = clock + passed
  if not player or clock < 3 then return end
  if random:next(1, 60) == 1 then turn = random:next(-10, 10) / 20 end
  yaw = yaw + turn * passed
  player:set_look_horizontal(yaw)
  player:set_look_vertical(0.25)
  local pos = player:get_pos()
  local step = 3 * passed
  pos.x = pos.x - math.sin(yaw) * step
  pos.z = pos.z + math.cos(yaw) * step
  local node = minetest.get_node(pos).name
  if height == nil then height = pos.y + 6 end
  if node ~= "air" and node ~= "ignore" then height = height + 1 end
  pos.y = height
  player:set_pos(pos)
  wait = wait - passed
  if wait <= 0 then act() end
  state()
end)
